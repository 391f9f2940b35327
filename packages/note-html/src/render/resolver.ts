import type { LinkTarget } from '../links/destination.ts';

/** A file of the vault that a page may show. */
export interface PageFile {
  readonly href: string;
  /** Way in which a browser shows the file in the page; `download` for other files. */
  readonly show: 'image' | 'audio' | 'video' | 'download';
  readonly name: string;
}

/** Says what a page may lead to. A link that leads nowhere is shown as text. */
export interface PageLinks {
  /**
   * Returns the address of a note, without anchor; empty for the note itself; null where the page may not lead to it.
   */
  note(link: LinkTarget): string | null;
  /** Returns the file that a path, as written, names; null where the page may not show it. */
  file(path: string): PageFile | null;
}
