import { useEffect, useRef, useState } from 'preact/hooks';
import { IconButton } from '../../../ui/button.js';
import { type OpenPdf, openPdf } from './open-pdf.js';

interface PdfPreviewProps {
  readonly label: string;
  readonly bytes: ArrayBuffer;
}

/** The pages of a PDF one by one, as pictures, with their text beneath for those who cannot see them. */
export function PdfPreview({ label, bytes }: PdfPreviewProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [pdf, setPdf] = useState<OpenPdf | undefined>(undefined);
  const [page, setPage] = useState(1);
  const [text, setText] = useState('');
  const [isBroken, setBroken] = useState(false);

  useEffect(() => {
    let isGone = false;
    let opened: OpenPdf | undefined;
    setBroken(false);
    setPdf(undefined);
    setPage(1);
    // The library takes the bytes for itself.
    openPdf(bytes.slice(0)).then(
      (found) => {
        opened = found;
        if (isGone) found.close();
        else setPdf(found);
      },
      () => setBroken(true),
    );
    return () => {
      isGone = true;
      opened?.close();
    };
  }, [bytes]);

  useEffect(() => {
    let isGone = false;
    const { current } = canvas;
    if (pdf === undefined || current === null) return;
    current.removeAttribute('data-drawn');
    const show = async () => {
      await pdf.draw(page, current);
      const found = await pdf.textOf(page);
      if (isGone) return;
      setText(found);
      current.dataset.drawn = String(page);
    };
    show().catch(() => {
      if (!isGone) setBroken(true);
    });
    return () => {
      isGone = true;
    };
  }, [pdf, page]);

  if (isBroken) return <p class="hint">This PDF cannot be shown here. Download the file.</p>;
  const count = pdf?.pageCount ?? 1;
  return (
    <div class="pdf">
      <canvas
        ref={canvas}
        class="pdf-page"
        role="img"
        aria-label={`Page ${page} of ${label}${text === '' ? '' : `: ${text}`}`}
      />
      {count > 1 && (
        <div class="row pdf-steps">
          <IconButton
            icon="arrow-up"
            label="Previous page"
            disabled={page === 1}
            onClick={() => setPage(page - 1)}
          />
          <span class="meta" role="status">
            Page {page} of {count}
          </span>
          <IconButton
            icon="arrow-down"
            label="Next page"
            disabled={page === count}
            onClick={() => setPage(page + 1)}
          />
        </div>
      )}
    </div>
  );
}
