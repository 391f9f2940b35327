// The module `obsidian` as the app gives it to plugins. A `MarkdownView` needs a browser once it is made.
export { DataAdapter } from './adapter.ts';
export { StandInApp as App } from './app.ts';
export { Component } from './component.ts';
export { Menu, Modal, Notice, Setting, SuggestModal } from './components.ts';
export { Events } from './events.ts';
export { TAbstractFile, TFile, TFolder } from './files.ts';
export { Editor, editorInfoField, MarkdownView } from './markdown.ts';
export { FileManager, MetadataCache } from './metadata.ts';
export { requestUrl } from './network.ts';
export { getLanguage, Platform, requireApiVersion } from './platform.ts';
export { Plugin, PluginSettingTab } from './plugin.ts';
export { normalizePath, Vault } from './vault.ts';
export { FileView, ItemView, View, Workspace, WorkspaceLeaf } from './workspace.ts';

/** Draws an icon of the app's own (api: setIcon). */
export function setIcon(parent: { setAttribute(name: string, value: string): void }, icon: string): void {
  parent.setAttribute('data-icon', icon);
}

/** Calls once, a while after the last call (api: debounce). */
export function debounce<Args extends unknown[]>(call: (...args: Args) => unknown, ms = 0, resets = false) {
  let timer: number | undefined;
  return (...args: Args) => {
    if (timer !== undefined && !resets) return;
    window.clearTimeout(timer);
    timer = window.setTimeout(() => {
      timer = undefined;
      call(...args);
    }, ms);
  };
}
