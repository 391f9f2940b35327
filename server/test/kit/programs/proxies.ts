import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../until.ts';
import { freePort } from './free-port.ts';
import { Folder } from './process.ts';

/* The proxies that people put in front of a server, as Debian has them, with the configuration of deploy/. */

const deploy = join(import.meta.dirname, '../../../../deploy');

/** The reason why there is no such program, for `skip`; false when there is one. */
export function whyNoProgram(name: string, ...args: string[]): string | false {
  const { error, status } = spawnSync(name, args, { stdio: 'ignore' });
  if (error === undefined && status === 0) return false;
  return `${name} is not installed (apt-get install ${name})`;
}

/** A proxy in front of a server. */
export interface RunningProxy extends AsyncDisposable {
  readonly url: string;
}

/** Starts nginx on a free port; `change` edits the shipped settings of the location. */
export async function startNginx(upstream: string, change: (settings: string) => string): Promise<RunningProxy> {
  const folder = new Folder();
  const port = await freePort();
  mkdirSync(folder.at('logs'));
  writeFileSync(
    folder.at('notevault-proxy.conf'),
    change(readFileSync(join(deploy, 'nginx/notevault-proxy.conf'), 'utf8')),
  );
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder.at(name)};`,
  );
  writeFileSync(
    folder.at('nginx.conf'),
    `daemon off; worker_processes 1; pid ${folder.at('pid')}; error_log ${folder.at('logs/error')};
events {}
http {
  access_log off; ${temp.join(' ')}
  upstream notevault { server ${new URL(upstream).host}; }
  map $http_upgrade $notevault_connection { default upgrade; '' ''; }
  server { listen 127.0.0.1:${port}; location ${change('LOCATION').includes('/api') ? '/api' : '/'} { include notevault-proxy.conf; } }
}`,
  );
  const child = spawn('nginx', ['-p', folder.path, '-c', folder.at('nginx.conf')], { stdio: 'ignore' });
  // Killed, it would leave its worker behind.
  return running(child, `http://127.0.0.1:${port}`, folder, 'SIGTERM');
}

/** Starts Caddy on a free port with the shipped Caddyfile. */
export async function startCaddy(upstream: string): Promise<RunningProxy> {
  const folder = new Folder();
  const url = `http://127.0.0.1:${await freePort()}`;
  copyFileSync(join(deploy, 'caddy/Caddyfile'), folder.at('Caddyfile'));
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder.path,
    XDG_DATA_HOME: folder.path,
    NOTEVAULT_DOMAIN: url,
    NOTEVAULT_UPSTREAM: new URL(upstream).host,
  };
  // Its admin endpoint would be shared with another Caddy on this machine.
  const config = `{\n\tadmin off\n}\n${readFileSync(folder.at('Caddyfile'), 'utf8')}`;
  writeFileSync(folder.at('Caddyfile'), config);
  const args = ['run', '--config', folder.at('Caddyfile'), '--adapter', 'caddyfile'];
  return running(spawn('caddy', args, { stdio: 'ignore', env }), url, folder, 'SIGKILL');
}

async function running(
  child: ChildProcess,
  url: string,
  folder: Folder,
  end: 'SIGTERM' | 'SIGKILL',
): Promise<RunningProxy> {
  const close = async () => {
    child.kill(end);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    folder[Symbol.dispose]();
  };
  try {
    await until(async () => (await fetch(`${url}/api/health`).catch(() => null))?.ok === true, 'the proxy');
    return { url, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}
