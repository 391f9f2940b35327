import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isBuilt, program, webApp } from './digest.ts';

/*
 * node tools/notevault.ts [arguments of the command]
 *
 * Runs the command: as compiled by `npm run build` if dist/ was built from these sources, which starts several times
 * faster, else from source.
 */
const root = join(import.meta.dirname, '..');
const compiled = isBuilt(root, program) && isBuilt(root, webApp);
if (!compiled) process.stderr.write('Running from source, which starts slowly: npm run build compiles it.\n');
const main = join(root, compiled ? 'dist/cli/src/main.js' : 'cli/src/main.ts');
// The program starts further processes by the name it was started by.
process.argv[1] = main;
await import(pathToFileURL(main).href);
