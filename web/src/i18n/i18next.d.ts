import type { editor } from './en/editor.ts';
import type { settings } from './en/settings.ts';
import type { start } from './en/start.ts';
import type { vault } from './en/vault.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'vault';
    resources: { start: typeof start; vault: typeof vault; settings: typeof settings; editor: typeof editor };
    returnNull: false;
  }
}
