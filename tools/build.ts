import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, globSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildWeb } from './build-web.ts';
import { bundle } from './bundle.ts';
import { publishable, withLauncher } from './published.ts';

// `npm run build`: compiles the sources to dist/, bundled, which runs on plain Node without the workspaces.
const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const BIN = 'cli/src/main.js';

rmSync(dist, { recursive: true, force: true });
const tsc = join(root, 'node_modules/typescript/bin/tsc');
const compiled = spawnSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' });
// tsc has printed the errors; an incomplete folder must not be taken for a package.
if (compiled.status !== 0) process.exit(1);

for (const path of globSync('**/*.js', { cwd: dist })) {
  const file = join(dist, path);
  writeFileSync(file, publishable(path, readFileSync(file, 'utf8')));
}
for (const path of globSync(['packages/*/src/**/*', 'server/src/**/*', 'cli/src/**/*'], { cwd: root })) {
  if (!path.endsWith('.ts') && statSync(join(root, path)).isFile()) cpSync(join(root, path), join(dist, path));
}
await bundle(dist);
await buildWeb();
cpSync(join(root, 'web/dist'), join(dist, 'web/dist'), { recursive: true });
const bin = join(dist, BIN);
if (existsSync(bin)) {
  writeFileSync(bin, withLauncher(readFileSync(bin, 'utf8')));
  chmodSync(bin, 0o755);
}
