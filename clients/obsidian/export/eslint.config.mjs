import { defineConfig, globalIgnores } from 'eslint/config';
import obsidianmd from 'eslint-plugin-obsidianmd';
import tseslint from 'typescript-eslint';

// The rules of the store, all of them, as it applies them.
export default defineConfig([
  globalIgnores(['node_modules', 'main.js', 'build.mjs', 'eslint.config.mjs']),
  ...obsidianmd.configs.recommended,
  {
    files: ['**/*.ts'],
    languageOptions: { parser: tseslint.parser, parserOptions: { projectService: true } },
  },
]);
