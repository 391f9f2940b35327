import type { FormatName } from '../bars/format-tools.ts';
import type { InsertionName } from '../slash/insertions.ts';
import type { TableEdit } from '../table/commands.ts';

/** Every sentence that the editor shows. The app provides them in its language. */
export interface EditorStrings {
  /** Shown for a person without a name. */
  readonly noName: string;
  readonly editorLabel: string;
  readonly properties: string;
  readonly add: string;
  readonly addProperty: string;
  readonly propertyName: string;
  readonly propertyValue: string;
  readonly removeProperty: string;
  readonly removeItem: string;
  readonly addItem: string;
  readonly editAsText: string;
  readonly propertiesUnreadable: string;
  readonly copyCode: string;
  readonly copied: string;
  readonly task: string;
  readonly loading: string;
  readonly notFound: string;
  readonly openNote: string;
  readonly createNote: string;
  readonly loadRemoteImage: string;
  readonly imageFailed: string;
  readonly diagram: string;
  readonly diagramFailed: string;
  readonly mathFailed: string;
  readonly queryFailed: string;
  /** Label before the parts of a query that could not be parsed. */
  readonly queryUnread: string;
  readonly queryNone: string;
  /** Count below a table, with `{{shown}}` and `{{total}}`. */
  readonly queryMore: string;
  readonly queryNote: string;
  readonly more: string;
  readonly pdfPage: string;
  readonly pdfFailed: string;
  readonly embedTooDeep: string;
  readonly uploading: string;
  readonly uploadFailed: string;
  readonly cancel: string;
  readonly footnote: string;
  readonly foldCallout: string;
  readonly printIncomplete: string;
  /** Label of the table bar. */
  readonly tableTools: string;
  readonly tableEdits: Readonly<Record<TableEdit | 'source', string>>;
  /** Label of the format bar. */
  readonly formatTools: string;
  readonly formats: Readonly<Record<FormatName, string>>;
  /** Names of the insertions in the slash menu. */
  readonly insertions: Readonly<Record<InsertionName, string>>;
  /** Translations of CodeMirror's own phrases, for its search panel and its announcements. */
  readonly phrases: Readonly<Record<string, string>>;
}
