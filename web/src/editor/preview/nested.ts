import { Facet } from '@codemirror/state';
import type { EditorServices } from '../core/services.ts';

/** Draws a text as it is read, and stops when it is disposed. */
export type DrawNote = (parent: HTMLElement, text: string, services: EditorServices, depth: number) => Disposable;

/** How embedded notes are drawn. A facet, because drawing a note needs the preview, which draws embedded notes. */
export const drawNote = Facet.define<DrawNote, DrawNote | null>({ combine: (values) => values[0] ?? null });

/** How many notes are around this one. */
export const embedDepth = Facet.define<number, number>({ combine: (values) => values[0] ?? 0 });

/** Notes that embed each other end here. */
export const MAX_EMBED_DEPTH = 3;
