import type { SearchResult } from '@notevault/protocol/search.ts';
import { type App, Notice, SuggestModal } from 'obsidian';
import type { VaultSync } from '../sync/vault-sync.ts';
import { text } from '../texts/texts.ts';

const RESULTS = 20;

/** Search on the server, which also knows notes by their meaning. */
export class SearchModal extends SuggestModal<SearchResult> {
  readonly #sync: VaultSync;

  constructor(app: App, sync: VaultSync) {
    super(app);
    this.#sync = sync;
    this.setPlaceholder(text('searchHint'));
  }

  override async getSuggestions(query: string): Promise<SearchResult[]> {
    if (query.trim() === '') return [];
    try {
      return [...(await this.#sync.vault.search({ query, limit: RESULTS })).results];
    } catch {
      // While somebody types, queries are incomplete.
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
