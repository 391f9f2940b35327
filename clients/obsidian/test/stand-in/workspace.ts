import type { StandInApp } from './app.ts';
import { Component } from './component.ts';
import { extendWindow } from './dom.ts';
import { StandInElement } from './element.ts';
import { Events } from './events.ts';
import type { TFile } from './files.ts';

/** A tab (api: WorkspaceLeaf). Its view may be a placeholder until it is shown, since 1.7.2. */
export class WorkspaceLeaf extends Events {
  readonly app: StandInApp;
  view: View;
  /** The window that shows it; another one for a popout. */
  readonly window: Window | null;

  constructor(app: StandInApp, window: Window | null = null) {
    super();
    this.app = app;
    this.window = window;
    this.view = new EmptyView(this);
  }

  get isDeferred(): boolean {
    return this.view instanceof DeferredView;
  }

  async loadIfDeferred(): Promise<void> {
    if (this.view instanceof DeferredView) await this.openFile(this.view.file);
  }

  /** A view of the same kind is used again for another file, so everything about it changes but itself. */
  async openFile(file: TFile): Promise<void> {
    const create = this.app.workspace.viewCreatorOf(file.extension === 'md' ? 'markdown' : file.extension);
    if (create === undefined) return;
    if (!(this.view instanceof FileView)) await this.open(create(this) as View);
    if (this.view instanceof FileView) await this.view.loadFile(file);
    this.app.workspace.trigger('file-open', file);
    this.app.workspace.trigger('layout-change');
  }

  async open(view: View): Promise<View> {
    await this.view.close();
    this.view = view;
    view.load();
    await view.onOpen();
    return view;
  }

  defer(file: TFile): void {
    this.view = new DeferredView(this, file);
  }

  async setViewState({ type, state }: { readonly type: string; readonly state?: unknown }): Promise<void> {
    const view = this.app.workspace.viewCreatorOf(type)?.(this) as View | undefined;
    if (view === undefined) return;
    await this.open(view);
    await view.setState(state, {});
  }

  async detach(): Promise<void> {
    this.app.workspace.remove(this);
    await this.view.close();
    this.app.workspace.trigger('layout-change');
  }
}

export abstract class View extends Component {
  readonly leaf: WorkspaceLeaf;
  readonly app: StandInApp;

  constructor(leaf: WorkspaceLeaf) {
    super();
    this.leaf = leaf;
    this.app = leaf.app;
  }

  abstract getViewType(): string;
  getDisplayText(): string {
    return '';
  }
  async onOpen(): Promise<void> {}
  async onClose(): Promise<void> {}
  async setState(_state: unknown, _result: unknown): Promise<void> {}

  async close(): Promise<void> {
    await this.onClose();
    this.unload();
  }
}

class EmptyView extends View {
  getViewType(): string {
    return 'empty';
  }
}

class DeferredView extends View {
  readonly file: TFile;

  constructor(leaf: WorkspaceLeaf, file: TFile) {
    super(leaf);
    this.file = file;
  }

  getViewType(): string {
    return 'markdown';
  }
}

/** A view with room for what a plugin shows (api: ItemView). */
export abstract class ItemView extends View {
  readonly contentEl = new StandInElement();
}

export abstract class FileView extends ItemView {
  file: TFile | null = null;

  /** Shows another file: the file changes first, its text comes after the disk was read. */
  async loadFile(file: TFile): Promise<void> {
    if (this.file === file) return;
    const before = this.file;
    if (before !== null) await this.onUnloadFile(before);
    this.file = file;
    await this.onLoadFile(file);
  }

  async onLoadFile(_file: TFile): Promise<void> {}
  async onUnloadFile(_file: TFile): Promise<void> {}

  override async onClose(): Promise<void> {
    if (this.file !== null) await this.onUnloadFile(this.file);
    this.file = null;
  }
}

/** Windows and tabs of the app, as far as plugins use them (api: Workspace). */
export class Workspace extends Events {
  layoutReady = false;
  activeLeaf: WorkspaceLeaf | null = null;
  readonly extensions: unknown[] = [];
  readonly #app: StandInApp;
  readonly #leaves: WorkspaceLeaf[] = [];
  readonly #creators = new Map<string, (leaf: WorkspaceLeaf) => unknown>();
  readonly #waiting: (() => unknown)[] = [];

  constructor(app: StandInApp) {
    super();
    this.#app = app;
  }

  /** Calls at once if the layout is ready (api: onLayoutReady). */
  onLayoutReady(callback: () => unknown): void {
    if (this.layoutReady) callback();
    else this.#waiting.push(callback);
  }

  becomeReady(): void {
    this.layoutReady = true;
    for (const callback of this.#waiting.splice(0)) callback();
    this.trigger('layout-ready');
  }

  getLeaf(_newLeaf: unknown = false): WorkspaceLeaf {
    if (_newLeaf === false && this.activeLeaf !== null) return this.activeLeaf;
    return this.#add(new WorkspaceLeaf(this.#app));
  }

  /** Returns a leaf in a window of its own, whose document is another one (api: openPopoutLeaf). */
  openPopoutLeaf(window: Window): WorkspaceLeaf {
    extendWindow(window);
    return this.#add(new WorkspaceLeaf(this.#app, window));
  }

  remove(leaf: WorkspaceLeaf): void {
    this.#leaves.splice(this.#leaves.indexOf(leaf), 1);
    if (this.activeLeaf === leaf) this.setActiveLeaf(this.#leaves.at(-1) ?? null);
  }

  setActiveLeaf(leaf: WorkspaceLeaf | null): void {
    this.activeLeaf = leaf;
    this.trigger('active-leaf-change', leaf);
  }

  /** All leaves, also those of popouts (api: iterateAllLeaves). */
  iterateAllLeaves(callback: (leaf: WorkspaceLeaf) => unknown): void {
    for (const leaf of [...this.#leaves]) callback(leaf);
  }

  getLeavesOfType(type: string): WorkspaceLeaf[] {
    return this.#leaves.filter(({ view }) => view.getViewType() === type);
  }

  getActiveViewOfType<Kind extends View>(kind: abstract new (...args: never[]) => Kind): Kind | null {
    const view = this.activeLeaf?.view;
    return view instanceof kind ? view : null;
  }

  getActiveFile(): TFile | null {
    const view = this.activeLeaf?.view;
    return view instanceof FileView ? view.file : null;
  }

  async revealLeaf(leaf: WorkspaceLeaf): Promise<void> {
    this.setActiveLeaf(leaf);
  }

  detachLeavesOfType(type: string): void {
    for (const leaf of this.getLeavesOfType(type)) void leaf.detach();
  }

  registerView(type: string, create: (leaf: WorkspaceLeaf) => unknown): void {
    this.#creators.set(type, create);
  }

  unregisterView(type: string): void {
    this.#creators.delete(type);
  }

  viewCreatorOf(type: string): ((leaf: WorkspaceLeaf) => unknown) | undefined {
    return this.#creators.get(type);
  }

  /** Editors that are open get the extensions anew (api: registerEditorExtension). */
  addExtension(extension: unknown): void {
    this.extensions.push(extension);
    this.updateOptions();
  }

  removeExtension(extension: unknown): void {
    this.extensions.splice(this.extensions.indexOf(extension), 1);
    this.updateOptions();
  }

  updateOptions(): void {
    this.trigger('stand-in-options');
  }

  #add(leaf: WorkspaceLeaf): WorkspaceLeaf {
    this.#leaves.push(leaf);
    this.setActiveLeaf(leaf);
    return leaf;
  }
}
