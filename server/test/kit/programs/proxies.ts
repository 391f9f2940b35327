import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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

/** Returns a shipped file. */
const shipped = (path: string) => readFileSync(join(deploy, path), 'utf8');

/**
 * Starts nginx on a free port with the shipped site: on its own host, or below a path of another one.
 *
 * @param change edits the shipped settings of the location.
 */
export async function startNginx(
  upstream: string,
  change: (settings: string) => string,
  path: '' | '/notes' = '',
): Promise<RunningProxy> {
  const folder = new Folder();
  const port = await freePort();
  mkdirSync(folder.at('logs'));
  writeFileSync(folder.at('notevault-proxy.conf'), change(shipped('nginx/notevault-proxy.conf')));
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder.at(name)};`,
  );
  writeFileSync(
    folder.at('nginx.conf'),
    `daemon off; worker_processes 1; pid ${folder.at('pid')}; error_log ${folder.at('logs/error')};
events {}
http {
  ${temp.join(' ')}
  ${change(siteOf(upstream, port, folder.at('logs/access'), path))}
}`,
  );
  const child = spawn('nginx', ['-p', folder.path, '-c', folder.at('nginx.conf')], { stdio: 'ignore' });
  // Killed, it would leave its worker behind.
  return running(child, `http://127.0.0.1:${port}${path}`, folder, 'SIGTERM');
}

/** Returns the shipped site on another port, without certificates. */
function siteOf(upstream: string, port: number, log: string, path: string): string {
  const site = shipped('nginx/notevault.conf')
    .replace('127.0.0.1:4100', new URL(upstream).host)
    .replace(/^server \{[^}]*return 301[^}]*\}\n/m, '')
    .replace(/^ *(?:listen \[::\]|ssl_certificate).*\n/gm, '')
    .replace('listen 443 ssl http2;', `listen 127.0.0.1:${port};`)
    .replace('/var/log/nginx/notevault.log', log);
  return path === '' ? site : site.replace(/^ *location \/ \{[^}]*\}\n/m, shipped('nginx/notevault-path.conf'));
}

/** Starts Caddy on a free port with the shipped Caddyfile: for its own host, or below a path of another one. */
export async function startCaddy(upstream: string, path: '' | '/notes' = ''): Promise<RunningProxy> {
  const folder = new Folder();
  const url = `http://127.0.0.1:${await freePort()}`;
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder.path,
    XDG_DATA_HOME: folder.path,
    NOTEVAULT_DOMAIN: url,
    NOTEVAULT_UPSTREAM: new URL(upstream).host,
  };
  // Its admin endpoint would be shared with another Caddy on this machine.
  const config = `{\n\tadmin off\n}\n${shipped(path === '' ? 'caddy/Caddyfile' : 'caddy/Caddyfile.path')}`;
  writeFileSync(folder.at('Caddyfile'), config);
  const args = ['run', '--config', folder.at('Caddyfile'), '--adapter', 'caddyfile'];
  return running(spawn('caddy', args, { stdio: 'ignore', env }), url + path, folder, 'SIGKILL');
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
