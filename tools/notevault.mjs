import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/*
 * node tools/notevault.mjs [arguments of the command]
 *
 * Runs the command: as compiled by `npm run build` if dist/ was built from these sources, which starts several times
 * faster, else from source. Any Node must be able to read this file, to be told what it lacks.
 */
const root = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const hasTools = existsSync(join(root, 'node_modules/vite/package.json'));
if (major < 24 || (major === 24 && minor < 6)) {
  const missing = `notevault: this is Node ${process.versions.node}, and Notevault needs 24.6 or newer.`;
  process.stderr.write(`${missing} "npm ci" installs it, but not with --omit=dev.\n`);
  process.exit(1);
}
const { isBuilt, program, webApp } = await import('./digest.ts');
const compiled = isBuilt(root, program) && isBuilt(root, webApp);
if (!compiled && hasTools) {
  process.stderr.write('Running from source, which starts slowly: npm run build compiles it.\n');
} else if (!compiled) {
  process.stderr.write('Running from source, without the web app: "npm ci" without --omit=dev builds both.\n');
}
const main = join(root, compiled ? 'dist/cli/src/main.js' : 'cli/src/main.ts');
// The program starts further processes by the name it was started by.
process.argv[1] = main;
await import(pathToFileURL(main).href);
