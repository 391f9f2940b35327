import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { MUTANTS } from './mutants.ts';

// Preloaded by the mutation test: replaces the source of one editor module as it is imported.
const mutant = MUTANTS.find(({ name }) => name === process.env.MUTANT);
if (mutant === undefined) throw new Error(`no mutant ${process.env.MUTANT}`);
const { href } = new URL(`../${mutant.file}`, import.meta.url);

registerHooks({
  load(url, context, nextLoad) {
    if (url !== href) return nextLoad(url, context);
    const before = readFileSync(fileURLToPath(url), 'utf8');
    const source = before.replace(mutant.guard, () => mutant.without);
    return { format: 'module-typescript', source, shortCircuit: true };
  },
});
