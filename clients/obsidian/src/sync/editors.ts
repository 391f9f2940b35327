import { type App, FileView, type TextFileView } from 'obsidian';

function* textViews(app: App): Iterable<TextFileView> {
  const views: TextFileView[] = [];
  app.workspace.iterateAllLeaves(({ view }) => {
    // Views that are not loaded yet are of another kind.
    if (view instanceof FileView && 'getViewData' in view) views.push(view as TextFileView);
  });
  yield* views;
}

/**
 * Returns whether an editor has a text of a file that it has not saved: the app saves two seconds after the last key.
 */
export function heldByEditors(app: App, path: string): boolean {
  for (const view of textViews(app)) if (view.file?.path === path && view.getViewData() !== view.data) return true;
  return false;
}

export function isOpenInApp(app: App, path: string): boolean {
  let isOpen = false;
  app.workspace.iterateAllLeaves(({ view }) => {
    if (view instanceof FileView && view.file?.path === path) isOpen = true;
  });
  return isOpen;
}

/** Saves what editors have not saved. */
export async function saveEditors(app: App): Promise<void> {
  for (const view of textViews(app)) if (view.file !== null && view.getViewData() !== view.data) await view.save();
}
