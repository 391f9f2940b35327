import type { PDFDocumentProxy } from 'pdfjs-dist';
import type { EditorStrings } from '../core/strings.ts';
import { button, element } from '../preview/widget-base.ts';

/** Pages wider than this are drawn no sharper. */
const MAX_PIXELS = 4_000_000;

/** Draws a PDF page by page, with buttons to turn them. */
export async function drawPdf(
  parent: HTMLElement,
  url: string,
  page: number,
  strings: EditorStrings,
  signal: AbortSignal,
): Promise<void> {
  parent.replaceChildren(element('span', 'nv-loading', strings.loading));
  try {
    const { openPdf } = await import('./pdf-loader.ts');
    const pdf = await openPdf(url);
    signal.addEventListener('abort', () => void pdf.loadingTask.destroy(), { once: true });
    if (signal.aborted) return;
    await new PdfPages(parent, pdf, strings).show(page);
  } catch {
    if (!signal.aborted) parent.replaceChildren(element('span', 'nv-missing', strings.pdfFailed));
  }
}

class PdfPages {
  readonly #pdf: PDFDocumentProxy;
  readonly #canvas = element('canvas', 'nv-pdf-page');
  readonly #position = element('span', 'nv-pdf-position');
  readonly #strings: EditorStrings;
  #page = 1;

  constructor(parent: HTMLElement, pdf: PDFDocumentProxy, strings: EditorStrings) {
    this.#pdf = pdf;
    this.#strings = strings;
    this.#position.setAttribute('role', 'status');
    const bar = element('div', 'nv-pdf-bar');
    const back = button('nv-pdf-turn', '‹', () => void this.show(this.#page - 1));
    const next = button('nv-pdf-turn', '›', () => void this.show(this.#page + 1));
    back.setAttribute('aria-label', `${strings.pdfPage} −1`);
    next.setAttribute('aria-label', `${strings.pdfPage} +1`);
    bar.append(back, this.#position, next);
    parent.replaceChildren(this.#canvas, bar);
  }

  async show(wanted: number): Promise<void> {
    this.#page = Math.max(1, Math.min(this.#pdf.numPages, wanted));
    const page = await this.#pdf.getPage(this.#page);
    const base = page.getViewport({ scale: 1 });
    const width = this.#canvas.parentElement?.clientWidth ?? base.width;
    const density = globalThis.devicePixelRatio || 1;
    const wantedScale = (width / base.width) * density;
    const scale = Math.min(wantedScale, Math.sqrt(MAX_PIXELS / (base.width * base.height)));
    const viewport = page.getViewport({ scale });
    this.#canvas.width = viewport.width;
    this.#canvas.height = viewport.height;
    await page.render({ canvas: this.#canvas, viewport }).promise;
    this.#canvas.setAttribute('aria-label', `${this.#strings.pdfPage} ${this.#page}`);
    this.#position.textContent = `${this.#strings.pdfPage} ${this.#page} / ${this.#pdf.numPages}`;
  }
}
