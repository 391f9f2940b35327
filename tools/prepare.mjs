// Runs after `npm ci` and `npm install`, on any Node: builds the web app, if the packages for that were installed.
import { existsSync } from 'node:fs';

if (existsSync(new URL('../node_modules/vite/package.json', import.meta.url))) {
  const { buildWeb } = await import('./build-web.ts');
  await buildWeb();
} else {
  console.error('The web app is not built: without devDependencies, the packages that build it are missing.');
}
