/**
 * The clamd settings that the scanner needs, besides addresses and paths, so that clamd reports what it could not look
 * into. `StreamMaxLength` must be more than the largest document; `MaxScanTime`, in milliseconds, less than the client
 * waits. `MaxFileSize` must not be less than `MaxScanSize`: clamd silently skips a file in an archive that exceeds the
 * first and not the second.
 */
export const CLAMD_SERVER_SETTINGS: Readonly<Record<string, string>> = {
  Foreground: 'yes',
  StreamMaxLength: '32M',
  MaxFileSize: '256M',
  MaxScanSize: '256M',
  MaxRecursion: '12',
  MaxFiles: '5000',
  MaxScanTime: '60000',
  AlertExceedsMax: 'yes',
  AlertEncrypted: 'yes',
  MaxThreads: '4',
  MaxQueue: '16',
};

/** The text of a clamd.conf: these settings, replaced or completed by `settings`. */
export function clamdConf(settings: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ ...CLAMD_SERVER_SETTINGS, ...settings });
  return lines.map(([name, value]) => `${name} ${value}\n`).join('');
}
