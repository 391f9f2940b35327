/** Every sentence that the editor shows. The app provides them in its language. */
export interface EditorStrings {
  readonly editorLabel: string;
  readonly properties: string;
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
  readonly pdfPage: string;
  readonly pdfFailed: string;
  readonly embedTooDeep: string;
  readonly uploading: string;
  readonly uploadFailed: string;
  readonly cancel: string;
  readonly footnote: string;
  /** Translations of CodeMirror's own phrases, for its search panel and its announcements. */
  readonly phrases: Readonly<Record<string, string>>;
}

export const ENGLISH: EditorStrings = {
  editorLabel: 'Note text',
  properties: 'Properties',
  addProperty: 'Add property',
  propertyName: 'Property name',
  propertyValue: 'Value',
  removeProperty: 'Remove property',
  removeItem: 'Remove item',
  addItem: 'Add item',
  editAsText: 'Edit as text',
  propertiesUnreadable: 'The properties cannot be read as YAML. Edit them as text.',
  copyCode: 'Copy code',
  copied: 'Copied',
  task: 'Task',
  loading: 'Loading…',
  notFound: 'Not found',
  openNote: 'Open note',
  createNote: 'Create note',
  loadRemoteImage: 'Load image from',
  imageFailed: 'The image could not be loaded.',
  diagram: 'Diagram',
  diagramFailed: 'The diagram could not be drawn.',
  mathFailed: 'The formula could not be read.',
  pdfPage: 'Page',
  pdfFailed: 'The PDF could not be shown.',
  embedTooDeep: 'Embedded notes are nested too deeply.',
  uploading: 'Uploading',
  uploadFailed: 'Upload failed',
  cancel: 'Cancel',
  footnote: 'Footnote',
  phrases: {},
};
