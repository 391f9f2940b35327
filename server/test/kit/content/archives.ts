import { crc32, deflateRawSync } from 'node:zlib';

/* Archives made by hand, because no library makes hostile ones. */

export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export interface ZipFileInput {
  readonly name: string | Buffer;
  readonly data?: string | Buffer;
  /** Unix mode with the type of the file. */
  readonly mode?: number;
  readonly encrypted?: boolean;
  /** 0 stored, 8 deflated (default). */
  readonly method?: number;
  /** The size that the archive claims, instead of the true one. */
  readonly claims?: number;
  readonly mtime?: Date;
  /** Whether its entry points to the bytes of the first file. */
  readonly isFirst?: boolean;
}

/** A zip of the given files, which claims what they say. */
export function zipOf(files: readonly ZipFileInput[]): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  for (const file of files) {
    const {
      name,
      data = '',
      mode = 0o100644,
      encrypted = false,
      method = 8,
      mtime = new Date(1_700_000_000_000),
    } = file;
    const bytes = Buffer.from(data);
    const packed = method === 8 ? deflateRawSync(bytes) : bytes;
    const title = Buffer.from(name);
    // The extended time: Unix seconds, UTC.
    const extra = Buffer.alloc(9);
    extra.writeUInt16LE(0x5455, 0);
    extra.writeUInt16LE(5, 2);
    extra.writeUInt8(1, 4);
    extra.writeInt32LE(Math.floor(mtime.getTime() / 1000), 5);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE((encrypted ? 1 : 0) | 0x800, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(file.claims ?? bytes.length, 18);
    common.writeUInt16LE(title.length, 22);
    common.writeUInt16LE(extra.length, 24);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, title, extra, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(file.isFirst ? 0 : at, 10);
    const madeBy = Buffer.from([20, 3]);
    central.push(Buffer.concat([Buffer.from('PK\x01\x02'), madeBy, common, rest, title, extra]));
    locals.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, directory, end]);
}

export interface TarFileInput {
  readonly name: string;
  readonly data?: string | Buffer;
  readonly type?: string;
}

/** A tar of the given files; long names get a pax header. */
export function tarOf(files: readonly TarFileInput[]): Buffer {
  const blocks: Buffer[] = [];
  for (const { name, data = '', type = '0' } of files) {
    const bytes = Buffer.from(data);
    if (Buffer.byteLength(name) > 100) {
      const record = paxRecord('path', name);
      blocks.push(tarHeader('pax', record.length, 'x'), padded(record));
    }
    blocks.push(tarHeader(name.slice(0, 100), bytes.length, type), padded(bytes));
  }
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

function paxRecord(key: string, value: string): Buffer {
  const rest = ` ${key}=${value}\n`;
  let length = Buffer.byteLength(rest);
  while (String(length).length + Buffer.byteLength(rest) !== length)
    length = String(length).length + Buffer.byteLength(rest);
  return Buffer.from(`${length}${rest}`);
}

function tarHeader(name: string, size: number, type: string): Buffer {
  const head = Buffer.alloc(512);
  head.write(name, 0, 100, 'utf8');
  head.write('0000644\0', 100);
  head.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  head.write(`${(1_700_000_000).toString(8).padStart(11, '0')}\0`, 136);
  head.write('        ', 148);
  head.write(type, 156);
  head.write('ustar\x0000', 257, 'latin1');
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return head;
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
}
