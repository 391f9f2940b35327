import type { activity } from './en/activity.ts';
import type { admin } from './en/admin.ts';
import type { changes } from './en/changes.ts';
import type { editor } from './en/editor.ts';
import type { graph } from './en/graph.ts';
import type { imports } from './en/imports.ts';
import type { settings } from './en/settings.ts';
import type { sharing } from './en/sharing.ts';
import type { start } from './en/start.ts';
import type { tasks } from './en/tasks.ts';
import type { vault } from './en/vault.ts';
import type { welcome } from './en/welcome.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'vault';
    resources: {
      start: typeof start;
      vault: typeof vault;
      settings: typeof settings;
      editor: typeof editor;
      graph: typeof graph;
      imports: typeof imports;
      welcome: typeof welcome;
      activity: typeof activity;
      admin: typeof admin;
      tasks: typeof tasks;
      changes: typeof changes;
      sharing: typeof sharing;
    };
    returnNull: false;
  }
}
