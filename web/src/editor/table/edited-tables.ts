import type { Extension } from '@codemirror/state';
import { drawnTables } from './drawn-tables.ts';
import { tableGrid } from './grid.ts';
import { tableGuard } from './guard.ts';
import { mendEscapes } from './mend-escapes.ts';
import { tableBar } from './table-bar.ts';

/** Tables that are drawn while editing, cell by cell. Their keys are with those of the editor. */
export const editedTables: Extension = [drawnTables, tableGrid, tableGuard, mendEscapes, tableBar];
