import { TabStore } from '../collab/tab-store.ts';

/** In-memory store that counts as durable, and whose writes can be made to fail. */
export class MemoryStore extends TabStore {
  override readonly isDurable = true;
  failure: Error | null = null;

  override async append(...edit: Parameters<TabStore['append']>): Promise<void> {
    if (this.failure !== null) throw this.failure;
    await super.append(...edit);
  }
}
