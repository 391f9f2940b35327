import { type DragEvent, useRef, useState } from 'react';
import { useTexts } from '../../i18n/use-texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import { filesOfDrop, filesOfInput } from './dropped.ts';
import styles from './imports.module.css';
import { type ImportSelection, type PickedFile, pickedOf } from './picked.ts';

/** Area to drop or choose notes, as a folder or an archive. */
export function DropZone({ choose }: { readonly choose: (picked: ImportSelection) => void }) {
  const t = useTexts('imports');
  const folder = useRef<HTMLInputElement>(null);
  const archive = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = (files: readonly PickedFile[]) => choose(pickedOf(files));
  const over = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    setOver(true);
  };
  return (
    <section
      className={styles.zone}
      aria-label={t('drop')}
      data-over={isOver ? '' : undefined}
      onDragEnter={over}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void filesOfDrop(event.dataTransfer).then(take);
      }}
    >
      <Icon name="folder" size={32} />
      <p>{t('drop')}</p>
      <p className={styles.about}>{t('or')}</p>
      <div className={styles.buttons}>
        <Button onClick={() => folder.current?.click()}>{t('chooseFolder')}</Button>
        <Button onClick={() => archive.current?.click()}>{t('chooseArchive')}</Button>
      </div>
      <FileInput input={folder} name="folder" take={take} />
      <FileInput input={archive} name="archive" take={take} />
    </section>
  );
}

interface FileInputProps {
  readonly input: React.RefObject<HTMLInputElement | null>;
  readonly name: 'folder' | 'archive';
  readonly take: (files: readonly PickedFile[]) => void;
}

/** The input behind a button, which the browser shows its dialog for. */
function FileInput({ input, name, take }: FileInputProps) {
  return (
    <input
      ref={input}
      type="file"
      name={name}
      hidden
      {...(name === 'folder' ? { webkitdirectory: '' } : { accept: '.zip,.jex' })}
      onChange={({ currentTarget }) => {
        const files = filesOfInput(currentTarget);
        // The same choice again must be an event again.
        currentTarget.value = '';
        if (files.length > 0) take(files);
      }}
    />
  );
}
