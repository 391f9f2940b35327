/** Extensions (lower case, no dot) of files a vault takes as attachments; a link's last dot-part is read by them too. */
export const allowedExtensions: ReadonlySet<string> = new Set([
  ...['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'bmp', 'svg', 'ico', 'tif', 'tiff', 'heic', 'heif'],
  ...['mp3', 'wav', 'm4a', 'ogg', 'oga', 'opus', 'flac', 'aac', '3gp', 'weba'],
  ...['mp4', 'webm', 'ogv', 'mov', 'mkv', 'm4v', 'avi'],
  ...['pdf', 'doc', 'docx', 'xls', 'xlsx', 'ppt', 'pptx', 'odt', 'ods', 'odp', 'rtf', 'epub', 'mobi'],
  ...['txt', 'csv', 'tsv', 'json', 'canvas', 'base', 'xml', 'yaml', 'yml', 'log', 'ics', 'vcf', 'tex', 'bib'],
  ...['ttf', 'otf', 'woff', 'woff2', 'zip'],
]);
