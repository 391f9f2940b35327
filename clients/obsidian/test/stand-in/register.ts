import { registerHooks } from 'node:module';

// Preloaded into every test: the package has types only, and the app gives the module to its plugins.
const { href } = new URL('./obsidian.ts', import.meta.url);

registerHooks({
  resolve(specifier, context, nextResolve) {
    return specifier === 'obsidian' ? { url: href, shortCircuit: true } : nextResolve(specifier, context);
  },
});
