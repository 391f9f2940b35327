import { GlobalWorkerOptions, getDocument, type PDFDocumentProxy } from 'pdfjs-dist';
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url';
import { trustedScriptUrl } from '../../platform/trusted-script-url.ts';

/** Opens a PDF. In a file of its own, loaded with the first PDF. */
export function openPdf(url: string): Promise<PDFDocumentProxy> {
  GlobalWorkerOptions.workerPort ??= new Worker(trustedScriptUrl(workerUrl), { type: 'module' });
  return getDocument({ url, enableXfa: false, useWasm: false, withCredentials: false }).promise;
}
