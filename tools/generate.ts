import { join } from 'node:path';
import { generateDocs } from './docs.ts';

// `npm run gen` writes the generated pages; `node tools/generate.ts --check` only says which are stale.
const check = process.argv.includes('--check');
const findings = generateDocs(join(import.meta.dirname, '..'), check);
for (const { path, message } of findings) console.error(`${path} ${message}`);
if (findings.length > 0) process.exitCode = 1;
