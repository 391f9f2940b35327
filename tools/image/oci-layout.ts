import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContainerSettings } from './containerfile.ts';

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

export interface Layer extends Descriptor {
  /** The digest of the layer before compression. */
  readonly diffId: string;
}

/** An image as files (OCI Image Layout 1.0), which podman, skopeo and containerd load. */
export class OciLayout {
  readonly folder: string;
  readonly #blobs: string;

  /** Begins an empty layout. */
  constructor(folder: string) {
    this.folder = folder;
    this.#blobs = join(folder, 'blobs/sha256');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(this.#blobs, { recursive: true });
  }

  /** Adds a folder as a layer. The same files make the same bytes, whenever they were written. */
  addLayer(root: string): Layer {
    const file = join(this.folder, 'layer.tar');
    const same = ['--sort=name', '--mtime=@0', '--numeric-owner', '--format=gnu'];
    execFileSync('tar', ['--create', '--file', file, ...same, '--directory', root, '.']);
    const diffId = `sha256:${sha256(readFileSync(file))}`;
    execFileSync('gzip', ['-9n', file]);
    const size = statSync(`${file}.gz`).size;
    const digest = sha256(readFileSync(`${file}.gz`));
    renameSync(`${file}.gz`, join(this.#blobs, digest));
    return { mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', digest: `sha256:${digest}`, size, diffId };
  }

  /** Writes configuration, manifest and index over the layers. Returns the compressed size in bytes. */
  finish(layers: readonly Layer[], settings: ContainerSettings, name: string): number {
    const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
    const rootfs = { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) };
    const config = this.#add('application/vnd.oci.image.config.v1+json', {
      ...{ architecture, os: 'linux', config: settings, rootfs },
    });
    const descriptors = layers.map(({ diffId: _, ...layer }) => layer);
    const mediaType = 'application/vnd.oci.image.manifest.v1+json';
    const manifest = this.#add(mediaType, { schemaVersion: 2, mediaType, config, layers: descriptors });
    const annotations = { 'org.opencontainers.image.ref.name': name };
    this.#write('index.json', { schemaVersion: 2, manifests: [{ ...manifest, annotations }] });
    this.#write('oci-layout', { imageLayoutVersion: '1.0.0' });
    return layers.reduce((sum, { size }) => sum + size, config.size + manifest.size);
  }

  #add(mediaType: string, document: object): Descriptor {
    const bytes = Buffer.from(JSON.stringify(document));
    const digest = sha256(bytes);
    writeFileSync(join(this.#blobs, digest), bytes);
    return { mediaType, digest: `sha256:${digest}`, size: bytes.length };
  }

  #write(name: string, document: object): void {
    writeFileSync(join(this.folder, name), JSON.stringify(document));
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
