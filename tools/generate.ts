import { join } from 'node:path';
import { generateDocs, writeOpenApi } from './docs.ts';
import { openApiOfApp } from './openapi.ts';

// `npm run gen` writes the generated pages; `node tools/generate.ts --check` only reports which are stale.
const check = process.argv.includes('--check');
const root = join(import.meta.dirname, '..');
const findings = [...generateDocs(root, check), ...writeOpenApi(root, await openApiOfApp(), check)];
for (const { path, message } of findings) console.error(`${path} ${message}`);
if (findings.length > 0) process.exitCode = 1;
