import { Facet } from '@codemirror/state';
import type { EditorServices } from '../core/services.ts';

/** Renders a text in reading mode until the result is disposed. */
export type DrawNote = (parent: HTMLElement, text: string, services: EditorServices, depth: number) => Disposable;

/** Renders embedded notes. A facet, because rendering a note needs the preview, which renders embedded notes. */
export const drawNote = Facet.define<DrawNote, DrawNote | null>({ combine: (values) => values[0] ?? null });

/** Number of notes that this one is embedded in. */
export const embedDepth = Facet.define<number, number>({ combine: (values) => values[0] ?? 0 });

/** Maximum nesting of embedded notes, which may embed each other. */
export const MAX_EMBED_DEPTH = 3;
