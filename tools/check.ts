import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildWeb } from './build-web.ts';
import { checkBoundaries } from './check/boundaries.ts';
import { checkDependencies, type Manifest } from './check/dependencies.ts';
import { checkDocstrings } from './check/docstrings.ts';
import { readSources } from './check/sources.ts';
import { checkTestTitles } from './check/test-titles.ts';
import { checkWebBudget } from './check/web-budget.ts';
import { generateDocs, writeOpenApi } from './docs.ts';
import { openApiOfApp } from './openapi.ts';

// What `npm run check` checks beside formatting and types. Each finding names its place, its rule and the remedy.
const root = join(import.meta.dirname, '..');

function manifest(path: string): Manifest {
  return { ...JSON.parse(readFileSync(join(root, path), 'utf8')), path };
}

await buildWeb();
execFileSync(process.execPath, [join(root, 'clients/obsidian/build.mjs')], { stdio: ['ignore', 'ignore', 'inherit'] });
const sources = readSources(root);
const workspaces = globSync(['packages/*/package.json', '{server,cli,web}/package.json', 'clients/*/package.json'], {
  cwd: root,
});
const findings = [
  ...checkBoundaries(sources),
  ...checkDependencies(['package.json', ...workspaces.sort()].map(manifest), sources),
  ...checkDocstrings(sources),
  ...checkTestTitles(sources),
  ...generateDocs(root, true),
  ...checkWebBudget(root),
  ...writeOpenApi(root, await openApiOfApp(), true),
];
for (const { path, line, rule, message } of findings) console.error(`${path}:${line}  ${rule}  ${message}`);
if (findings.length > 0) {
  console.error(`\n${findings.length} to fix.`);
  process.exitCode = 1;
} else console.log(`${sources.length} sources keep the dependency rule; docs are fresh; dependencies fit.`);
