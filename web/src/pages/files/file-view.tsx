import { useSuspenseQuery } from '@tanstack/react-query';
import i18next from 'i18next';
import { lazy, useEffect, useRef } from 'react';
import { keys } from '../../data/keys.ts';
import type { AttachmentEntry } from '../../data/tree/tree-index.ts';
import { fileUrl } from '../../device/outbox/files.ts';
import { loadTexts } from '../../i18n/i18n.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { importOrReload } from '../../page/import-or-reload.ts';
import { fileKind } from './file-kind.ts';
import styles from './files.module.css';

const BaseView = lazy(async () => {
  const [module] = await Promise.all([importOrReload(() => import('../queries/base-view.tsx')), loadTexts('editor')]);
  return { default: module.BaseView };
});

/** More of a text is for an editor, not for a page. */
const TEXT_MAX = 1_000_000;

interface FileViewProps {
  readonly vaultId: string;
  readonly file: AttachmentEntry;
}

/** Shows what a browser can of an attachment. Nothing in it runs: pictures are drawn as pictures, the rest as text. */
export function FileView({ vaultId, file }: FileViewProps) {
  const t = useTexts('vault');
  const kind = fileKind(file.mimeType);
  const { data: url } = useSuspenseQuery({
    queryKey: keys.fileUrl(vaultId, file.path),
    queryFn: () => fileUrl(vaultId, file.path),
    // A ticket ends, so the page asks for another one when it is opened again.
    staleTime: 0,
    gcTime: 0,
  });
  if (kind === 'image') return <img className={styles.image} src={url} alt={file.name} />;
  // biome-ignore lint/a11y/useMediaCaption: the file is somebody's own, and has none beside it
  if (kind === 'audio') return <audio className={styles.audio} src={url} controls preload="metadata" />;
  // biome-ignore lint/a11y/useMediaCaption: as above
  if (kind === 'video') return <video className={styles.video} src={url} controls preload="metadata" />;
  if (kind === 'pdf') return <Pdf url={url} />;
  if (/\.base$/i.test(file.name)) return <BaseView vaultId={vaultId} url={url} />;
  if (kind === 'text') return <Text url={url} size={file.size} />;
  return <p className={styles.about}>{t('files.noView')}</p>;
}

function Pdf({ url }: { readonly url: string }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const abort = new AbortController();
    const draw = async () => {
      const [{ drawPdfFile }] = await Promise.all([
        importOrReload(() => import('../../editor/index.ts')),
        loadTexts('editor'),
      ]);
      if (element.current === null || abort.signal.aborted) return;
      const strings = i18next.getResource(i18next.language, 'editor', 'strings');
      await drawPdfFile(element.current, url, strings, abort.signal);
    };
    void draw();
    return () => abort.abort();
  }, [url]);
  return <div ref={element} className={styles.pdf} />;
}

function Text({ url, size }: { readonly url: string; readonly size: number }) {
  const t = useTexts('vault');
  const { data: text } = useSuspenseQuery({
    queryKey: ['file-text', url],
    queryFn: async ({ signal }) => {
      const answer = await fetch(url, { signal, headers: { range: `bytes=0-${TEXT_MAX - 1}` } });
      // An empty file has no first byte.
      if (!answer.ok && answer.status !== 416) throw new Error(`refused with ${answer.status}`);
      return answer.ok ? answer.text() : '';
    },
    gcTime: 0,
  });
  return (
    <>
      <pre className={styles.text} dir="auto">
        {text}
      </pre>
      {size > TEXT_MAX ? <p className={styles.about}>{t('files.cut')}</p> : null}
    </>
  );
}
