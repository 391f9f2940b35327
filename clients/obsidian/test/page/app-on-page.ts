import { StandInApp } from '../stand-in/app.ts';
import { realClock } from '../stand-in/clock.ts';
import { Device, type DeviceOptions } from '../stand-in/device.ts';
import { extendWindow } from '../stand-in/dom.ts';
import { MarkdownView, type Switching } from '../stand-in/markdown.ts';
import type { WorkspaceLeaf } from '../stand-in/workspace.ts';

export interface AppOptions extends Omit<DeviceOptions, 'clock' | 'saved'> {
  readonly server: string;
  readonly token: string;
  readonly vault: string;
  readonly switching?: Switching;
  /** Delay before the app saves, in milliseconds. */
  readonly saveMs?: number;
  /** Whether the disk is gone with the page, as none should that is long. */
  readonly isShort?: boolean;
}

/** The app on this page, whose disk outlives it, and what a person does in its editors. */
export class AppOnPage {
  readonly app: StandInApp;
  /** Whether the app starts on this device for the first time. */
  readonly isFirst: boolean;
  readonly leaves: WorkspaceLeaf[] = [];

  constructor(options: AppOptions) {
    extendWindow(window);
    const saved = localStorage.getItem('disk');
    this.isFirst = saved === null;
    const device = new Device({ ...options, clock: realClock, ...(saved === null ? {} : { saved }) });
    const stored = JSON.parse(localStorage.getItem('stored') ?? '[]') as [string, string][];
    for (const [key, value] of stored) device.localStorage.set(key, value);
    const keep = () => {
      localStorage.setItem('disk', device.disk.saved);
      localStorage.setItem('stored', JSON.stringify([...device.localStorage]));
    };
    if (options.isShort !== true) device.disk.onChanged = keep;
    MarkdownView.switching = options.switching ?? 'state';
    MarkdownView.saveMs = options.saveMs ?? MarkdownView.saveMs;
    this.app = new StandInApp(device);
    this.app.workspace.registerView('markdown', (leaf) => new MarkdownView(leaf));
  }

  view(at: number): MarkdownView {
    const view = this.leaves[at]?.view;
    if (!(view instanceof MarkdownView)) throw new Error(`leaf ${at} shows no note`);
    return view;
  }

  async open(path: string, at = this.leaves.length): Promise<void> {
    const file = this.app.vault.getFileByPath(path);
    if (file === null) throw new Error(`no file ${path}`);
    this.leaves[at] ??= this.app.workspace.getLeaf('tab');
    await this.leaves[at].openFile(file);
  }

  /** Opens a note in a window of its own, whose document is another one. */
  async openPopout(path: string): Promise<void> {
    const frame = document.body.appendChild(document.createElement('iframe'));
    if (frame.contentWindow === null) throw new Error('no window');
    this.leaves.push(this.app.workspace.openPopoutLeaf(frame.contentWindow));
    await this.open(path, this.leaves.length - 1);
  }

  async close(at: number): Promise<void> {
    await this.leaves[at]?.detach();
    this.leaves.splice(at, 1);
  }

  /** Types as a person does, at an offset; at the end without one. */
  type(at: number, text: string, offset?: number): void {
    const { cm } = this.view(at).editor;
    const from = Math.min(offset ?? cm.state.doc.length, cm.state.doc.length);
    cm.dispatch({
      changes: { from, insert: text },
      selection: { anchor: from + text.length },
      userEvent: 'input.type',
    });
  }

  text(at: number): string {
    return this.view(at).getViewData();
  }

  disk(path: string): string | null {
    return this.app.device.disk.text(path);
  }

  /** Saves all views, as the app does two seconds after a key. */
  async save(): Promise<void> {
    for (const { view } of this.leaves) if (view instanceof MarkdownView) await view.save();
  }

  /** See MarkdownView.dropped, since the app has started. */
  get dropped(): string {
    return MarkdownView.dropped;
  }

  /** Number of connected editors. */
  get bound(): number {
    return this.leaves.filter(({ view }) => view instanceof MarkdownView && Object.hasOwn(view, 'setViewData')).length;
  }
}
