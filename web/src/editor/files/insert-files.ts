import { type EditorState, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';
import { mediaKind } from '@notevault/note-html/links/media-kind.ts';
import { services } from '../core/services.ts';
import { UploadWidget } from './upload-widget.ts';

interface Upload {
  readonly id: number;
  readonly at: number;
  readonly widget: UploadWidget;
}

const addUpload = StateEffect.define<Upload>({
  map: (upload, changes) => ({ ...upload, at: changes.mapPos(upload.at, 1) }),
});
const removeUpload = StateEffect.define<number>();

/**
 * Widgets of the uploads in progress, where their links will be. They are not part of the text, so other users do not
 * see them.
 */
export const uploads = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, transaction) {
    let marks = value.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(addUpload)) {
        const { id, at, widget } = effect.value;
        marks = marks.update({ add: [Decoration.widget({ widget, side: 1, id }).range(at)] });
      } else if (effect.is(removeUpload)) {
        marks = marks.update({ filter: (_from, _to, { spec }) => spec.id !== effect.value });
      }
    }
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

let lastId = 0;

/**
 * Uploads files one after another, and inserts a link to each where the cursor was, even if the text has changed
 * meanwhile.
 */
export async function insertFiles(view: EditorView, files: readonly File[], at: number): Promise<void> {
  const app = view.state.facet(services);
  if (app === null) return;
  const started = files.map((file) => {
    const id = ++lastId;
    const widget = new UploadWidget(file.name);
    view.dispatch({ effects: addUpload.of({ id, at, widget }) });
    return { id, file, widget };
  });
  for (const { id, file, widget } of started) {
    try {
      const path = await app.content.upload(file, (progress) => widget.show(progress), widget.signal);
      replaceUpload(view, id, linkTo(path));
    } catch (error) {
      if (widget.signal.aborted) replaceUpload(view, id, '');
      else widget.fail(app.content.reasonOf(error), () => replaceUpload(view, id, ''));
    }
  }
}

function replaceUpload(view: EditorView, id: number, insert: string): void {
  const at = offsetOf(view.state, id);
  // The editor was closed meanwhile: the file is in the vault all the same.
  if (at === null || !view.dom.isConnected) return;
  const { main } = view.state.selection;
  view.dispatch({
    effects: removeUpload.of(id),
    changes: { from: at, insert },
    // The cursor of a user who waited moves behind the link.
    ...(main.empty && main.head === at ? { selection: { anchor: at + insert.length } } : {}),
    userEvent: 'input.paste',
  });
}

function offsetOf(state: EditorState, id: number): number | null {
  for (const at = state.field(uploads).iter(); at.value !== null; at.next()) {
    if (at.value.spec.id === id) return at.from;
  }
  return null;
}

/** Returns the embed of a file of the vault. */
export function linkTo(path: string): string {
  const kind = mediaKind(path);
  return kind === 'file' || kind === 'note' ? `[[${path}]]` : `![[${path}]]`;
}
