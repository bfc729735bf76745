/**
 * How clamd has to be set, besides where it listens and where its files lie, so that it says what it could not look into.
 * `StreamMaxLength` is to be more than the largest document; `MaxScanTime`, in milliseconds, less than the client waits.
 * `MaxFileSize` is to be no less than `MaxScanSize`: a file in an archive that is over the first and within the second
 * is passed over in silence.
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

/** The text of a clamd.conf. Values reach to the end of their line. */
export function clamdConf(settings: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ ...CLAMD_SERVER_SETTINGS, ...settings });
  return lines.map(([name, value]) => `${name} ${value}\n`).join('');
}
