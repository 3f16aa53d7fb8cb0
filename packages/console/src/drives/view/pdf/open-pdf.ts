// The build for browsers that are some years old.
import { getDocument, type PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
// @ts-expect-error The worker has no types: it is run here, on the page, because the policy of the page allows no worker.
import { WorkerMessageHandler } from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs';

(globalThis as { pdfjsWorker?: unknown }).pdfjsWorker = { WorkerMessageHandler };

/** A PDF whose pages are drawn as pictures: no script, form or link of it works. */
export interface OpenPdf {
  readonly pageCount: number;
  /** Draws a page, counted from 1, as wide as the canvas is on the page. */
  draw(page: number, canvas: HTMLCanvasElement): Promise<void>;
  /** Gives the text of a page, for those who cannot see it. */
  textOf(page: number): Promise<string>;
  close(): void;
}

/** Of a drawn page: more would not be seen, and a page may say that it is as large as a house. */
const maxPixels = 4_000_000;

/** Reads a PDF. Rejects if the bytes are not a PDF, or if it has a password. */
export async function openPdf(bytes: ArrayBuffer): Promise<OpenPdf> {
  const loading = getDocument({
    data: new Uint8Array(bytes),
    isEvalSupported: false,
    useWasm: false,
    enableXfa: false,
    stopAtErrors: false,
    verbosity: 0,
  });
  const pdf: PDFDocumentProxy = await loading.promise;
  return {
    pageCount: pdf.numPages,
    async draw(number, canvas) {
      const page = await pdf.getPage(number);
      const natural = page.getViewport({ scale: 1 });
      const wanted = (canvas.clientWidth * devicePixelRatio) / natural.width;
      const most = Math.sqrt(maxPixels / (natural.width * natural.height));
      const viewport = page.getViewport({ scale: Math.min(wanted, most) });
      canvas.width = Math.max(1, Math.floor(viewport.width));
      canvas.height = Math.max(1, Math.floor(viewport.height));
      await page.render({ canvas, viewport }).promise;
    },
    async textOf(number) {
      const page = await pdf.getPage(number);
      const { items } = await page.getTextContent();
      return items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('');
    },
    close: () => void loading.destroy(),
  };
}
