import { canvasReferences, rewriteCanvas } from '@notevault/note-text/canvas/references.ts';

/** The tasks of this domain on the worker threads of the pool. */
export const canvasTasks = {
  canvasReferences,
  rewriteCanvas: ({ canvas, changes }: { canvas: string; changes: Parameters<typeof rewriteCanvas>[1] }) =>
    rewriteCanvas(canvas, changes),
};

export type CanvasTasks = typeof canvasTasks;
