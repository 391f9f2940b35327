// Runs after `npm ci` and `npm install`, on any Node: builds the program and the web app, if the packages for that were
// installed.
import { existsSync } from 'node:fs';

if (existsSync(new URL('../node_modules/vite/package.json', import.meta.url))) {
  const { build } = await import('./build.ts');
  await build();
} else {
  console.error('Nothing is built: without devDependencies, the packages that build it are missing.');
}
