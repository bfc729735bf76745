/** A version's section of CHANGELOG.md. */
export interface Section {
  /** `YYYY-MM-DD`, or empty. */
  readonly date: string;
  readonly text: string;
}

export const UNRELEASED = 'Unreleased';

/** Finds the section of a version, or of UNRELEASED. */
export function sectionOf(changelog: string, version: string): Section | undefined {
  for (const part of changelog.split(/^## /m).slice(1)) {
    const [heading = '', ...lines] = part.split('\n');
    const [name, date = ''] = heading.split(' – ');
    if (name?.trim() === version) return { date: date.trim(), text: lines.join('\n').trim() };
  }
  return undefined;
}

/** The release notes: the version's section, with links to the files of its tag. Throws if there is no section. */
export function notesOf(changelog: string, version: string, source: string): string {
  const section = sectionOf(changelog, version);
  if (!section?.text) throw new Error(`CHANGELOG.md has nothing under "## ${version} – YYYY-MM-DD"`);
  const at = `${source.replace(/\/$/, '')}/blob/v${version}`;
  const text = section.text.replace(/\]\((?![a-z]+:|#)([^)\s]+)\)/g, (_, path: string) => `](${at}/${path})`);
  return `${text}\n\nTo verify the signatures of attachments and images: [releasing](${at}/docs/releasing.md#verify-a-release).\n`;
}
