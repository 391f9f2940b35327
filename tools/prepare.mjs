// Runs after `npm ci` and `npm install`, on any Node: builds the program and the web app, if the packages for that were
// installed.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../node_modules', import.meta.url));
removeUnused();
if (existsSync(join(packages, 'vite/package.json'))) {
  const { build } = await import('./build.ts');
  await build();
} else {
  console.error('Nothing is built: without devDependencies, the packages that build it are missing.');
}

/** Removes a sixth of what npm has installed: source maps, and Node's headers, for native modules, which we have none of. */
function removeUnused() {
  const headers = /[\\/]node[\\/]node_modules[\\/]node-[\w-]+$/;
  for (const entry of readdirSync(packages, { recursive: true, withFileTypes: true })) {
    const folder = entry.parentPath ?? entry.path;
    const unused = entry.isFile()
      ? /\.[cm]?(js|ts)\.map$/.test(entry.name)
      : entry.name === 'include' && headers.test(folder);
    if (unused) rmSync(join(folder, entry.name), { recursive: true });
  }
}
