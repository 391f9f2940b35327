import type { PDFDocumentProxy } from 'pdfjs-dist';
import type { EditorStrings } from '../core/strings.ts';
import { button, element } from '../preview/widget-base.ts';

/** Maximum pixels of a rendered page. */
const MAX_PIXELS = 4_000_000;

/** Renders a PDF, one page at a time, with buttons to turn the pages. */
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
    await new PdfPages(parent, pdf, strings, signal).show(page);
  } catch {
    if (!signal.aborted) parent.replaceChildren(element('span', 'nv-missing', strings.pdfFailed));
  }
}

class PdfPages {
  readonly #pdf: PDFDocumentProxy;
  readonly #sheet = element('div', 'nv-pdf-sheet');
  readonly #canvas = element('canvas', 'nv-pdf-page');
  readonly #text = element('div', 'nv-pdf-text');
  readonly #position = element('span', 'nv-pdf-position');
  readonly #strings: EditorStrings;
  #page = 1;
  /** The width of the page in its own units. */
  #width = 1;

  constructor(parent: HTMLElement, pdf: PDFDocumentProxy, strings: EditorStrings, signal: AbortSignal) {
    this.#pdf = pdf;
    this.#strings = strings;
    this.#position.setAttribute('role', 'status');
    const bar = element('div', 'nv-pdf-bar');
    const back = button('nv-pdf-turn', '‹', () => void this.show(this.#page - 1));
    const next = button('nv-pdf-turn', '›', () => void this.show(this.#page + 1));
    back.setAttribute('aria-label', `${strings.pdfPage} −1`);
    next.setAttribute('aria-label', `${strings.pdfPage} +1`);
    bar.append(back, this.#position, next);
    this.#sheet.append(this.#canvas, this.#text);
    parent.replaceChildren(this.#sheet, bar);
    const observer = new ResizeObserver(() => this.#fitText());
    observer.observe(this.#canvas);
    signal.addEventListener('abort', () => observer.disconnect(), { once: true });
  }

  async show(wanted: number): Promise<void> {
    this.#page = Math.max(1, Math.min(this.#pdf.numPages, wanted));
    const page = await this.#pdf.getPage(this.#page);
    const base = page.getViewport({ scale: 1 });
    const width = this.#sheet.parentElement?.clientWidth ?? base.width;
    this.#width = base.width;
    const density = globalThis.devicePixelRatio || 1;
    const wantedScale = (width / base.width) * density;
    const scale = Math.min(wantedScale, Math.sqrt(MAX_PIXELS / (base.width * base.height)));
    const viewport = page.getViewport({ scale });
    this.#canvas.width = viewport.width;
    this.#canvas.height = viewport.height;
    await page.render({ canvas: this.#canvas, viewport }).promise;
    this.#canvas.setAttribute('aria-label', `${this.#strings.pdfPage} ${this.#page}`);
    this.#position.textContent = `${this.#strings.pdfPage} ${this.#page} / ${this.#pdf.numPages}`;
    this.#fitText();
    const { drawPdfText } = await import('./pdf-text.ts');
    await drawPdfText(page, this.#text);
  }

  /** Scales the text layer to the displayed size of the page. */
  #fitText(): void {
    this.#sheet.style.setProperty('--total-scale-factor', String(this.#canvas.clientWidth / this.#width));
  }
}
