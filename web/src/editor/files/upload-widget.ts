import { type EditorView, WidgetType } from '@codemirror/view';
import type { UploadProgress } from '../core/services.ts';
import { stringsOf } from '../media/inline-widgets.ts';
import { button, element } from '../preview/widget-base.ts';

/** Shows the progress of an upload, with a button that cancels it. */
export class UploadWidget extends WidgetType {
  readonly #name: string;
  readonly #stop = new AbortController();
  #progress: UploadProgress = { sent: 0, total: 0 };
  #bar: HTMLProgressElement | null = null;
  #label: HTMLElement | null = null;
  #onFailed: (() => void) | null = null;
  #failedLabel = '';
  #reason = '';

  constructor(name: string) {
    super();
    this.#name = name;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  override eq(other: WidgetType): boolean {
    return other === this;
  }

  toDOM(view: EditorView): HTMLElement {
    const strings = stringsOf(view);
    this.#failedLabel = strings.uploadFailed;
    const box = element('span', 'nv-upload');
    this.#label = element('span', '', `${strings.uploading} ${this.#name}`);
    this.#label.setAttribute('role', 'status');
    this.#bar = element('progress');
    const cancel = button('nv-upload-cancel', strings.cancel, () => (this.#onFailed ?? (() => this.#stop.abort()))());
    box.append(this.#label, this.#bar, cancel);
    if (this.#onFailed !== null) this.#showFailure();
    else this.show(this.#progress);
    return box;
  }

  show(progress: UploadProgress): void {
    this.#progress = progress;
    if (this.#bar === null || progress.total <= 0) return;
    this.#bar.max = progress.total;
    this.#bar.value = progress.sent;
  }

  /** Shows that the upload failed and why, until the button is pressed. */
  fail(reason: string, onDismiss: () => void): void {
    this.#onFailed = onDismiss;
    this.#reason = reason;
    this.#showFailure();
  }

  override ignoreEvent(): boolean {
    return true;
  }

  #showFailure(): void {
    this.#bar?.remove();
    if (this.#label !== null) this.#label.textContent = `${this.#failedLabel}: ${this.#name}. ${this.#reason}`;
  }
}
