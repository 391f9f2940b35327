import { languageParser } from '@notevault/note-html/render/languages.ts';
import { firstWords, renderNote } from '@notevault/note-html/render/note-html.ts';
import type { PageFile } from '@notevault/note-html/render/resolver.ts';

/** A note to render, with what its links lead to by the targets as they are written. */
export interface PageInput {
  readonly source: string;
  readonly title: string;
  readonly notes: ReadonlyMap<string, string>;
  readonly files: ReadonlyMap<string, PageFile>;
}

export interface RenderedPage {
  readonly html: string;
  readonly isCut: boolean;
  readonly words: string;
}

/** The tasks of this domain on the worker threads of the pool. */
export const pageTasks = {
  renderPage: ({ source, title, notes, files }: PageInput): RenderedPage => {
    const links = {
      note: ({ target }: { readonly target: string }) => (target === '' ? '' : (notes.get(target) ?? null)),
      file: (path: string) => files.get(path) ?? null,
    };
    const { html, isCut } = renderNote(source, { title, links, findLanguage: languageParser });
    return { html, isCut, words: firstWords(html) };
  },
};

export type PageTasks = typeof pageTasks;
