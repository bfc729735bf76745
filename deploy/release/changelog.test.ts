import { notesOf, sectionOf, UNRELEASED } from './changelog.ts';

const CHANGELOG = `# Changelog

## Unreleased

### Added

- Later.

## 1.2.0 – 2026-12-01

### Added

- Exports ([how](docs/exports.md#csv), [standard](https://example.test/csv)).

## 1.2.0-rc.1 – 2026-11-30

- Tried.

## 1.1.0
`;

it('a section is the text between its heading and the next', () => {
  expect(sectionOf(CHANGELOG, UNRELEASED)).toEqual({ date: '', text: '### Added\n\n- Later.' });
  expect(sectionOf(CHANGELOG, '1.2.0-rc.1')).toEqual({ date: '2026-11-30', text: '- Tried.' });
  expect(sectionOf(CHANGELOG, '1.1.0')).toEqual({ date: '', text: '' });
});

it.each(['1.2', '1.2.0-rc', '2026-12-01'])('%s is not a version in the changelog', (version) => {
  expect(sectionOf(CHANGELOG, version)).toBeUndefined();
});

it('notes are the section, with links to the files of the tag', () => {
  const notes = notesOf(CHANGELOG, '1.2.0', 'https://example.test/owner/name/');
  expect(notes).toMatch(/^### Added\n\n- Exports/);
  expect(notes).toContain('[how](https://example.test/owner/name/blob/v1.2.0/docs/exports.md#csv)');
  expect(notes).toContain('[standard](https://example.test/csv)');
  expect(notes).not.toContain('Tried');
});

it.each(['1.1.0', '3.0.0'])('there are no notes for %s, which the changelog does not mention', (version) => {
  expect(() => notesOf(CHANGELOG, version, 'https://example.test')).toThrow(
    `CHANGELOG.md has nothing under "## ${version} – YYYY-MM-DD"`,
  );
});
