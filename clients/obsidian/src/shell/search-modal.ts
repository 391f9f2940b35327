import { ApiError } from '@notevault/client/transport.ts';
import type { SearchResult } from '@notevault/protocol/search.ts';
import { type App, Notice, SuggestModal } from 'obsidian';
import type { VaultSync } from '../sync/vault-sync.ts';
import { text } from '../texts/texts.ts';

const RESULTS = 20;

/** Search on the server, which also knows notes by their meaning. */
export class SearchModal extends SuggestModal<SearchResult> {
  readonly #sync: VaultSync;
  /** The app's text for an empty result. */
  readonly #nothing: string;

  constructor(app: App, sync: VaultSync) {
    super(app);
    this.#sync = sync;
    this.#nothing = this.emptyStateText;
    this.setPlaceholder(text('searchHint'));
  }

  override async getSuggestions(query: string): Promise<SearchResult[]> {
    if (query.trim() === '') return [];
    try {
      const { results } = await this.#sync.vault.search({ query, limit: RESULTS });
      this.emptyStateText = this.#nothing;
      return [...results];
    } catch (error) {
      // While somebody types, queries are incomplete.
      const isIncomplete = error instanceof ApiError && error.status === 400;
      this.emptyStateText = isIncomplete ? this.#nothing : text('searchFailed');
      return [];
    }
  }

  override renderSuggestion({ title, path, snippet }: SearchResult, el: HTMLElement): void {
    el.createDiv({ text: title });
    el.createEl('small', { text: path });
    el.createDiv({ text: snippet, cls: 'notevault-snippet' });
  }

  override onChooseSuggestion({ path }: SearchResult): void {
    const file = this.app.vault.getFileByPath(path);
    if (file === null) new Notice(text('notHere'));
    else void this.app.workspace.getLeaf(false).openFile(file);
  }
}
