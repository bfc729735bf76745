import { COLORS } from '../web/src/components/chart-props.ts';
import { cssVariables, theme } from '../web/src/theme.ts';

const SCHEMES = ['light', 'dark'] as const;
/** The least contrast of texts, and of parts that a person must recognize (WCAG 2.2, 1.4.3 and 1.4.11). */
const [TEXT, PART] = [4.5, 3];

const luminance = (colour: string): number => {
  const digits =
    colour.length === 4 ? [...colour.slice(1)].map((digit) => digit + digit) : colour.match(/\w\w/g);
  const [red = 0, green = 0, blue = 0] = (digits ?? []).map((hex) => {
    const share = Number.parseInt(hex, 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const contrast = (one: string, other: string): number => {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};

const { variables, light, dark } = cssVariables(theme as Parameters<typeof cssVariables>[0]);
const all: Readonly<Record<string, string>> = { ...variables, ...light, ...dark };
/** Returns a variable's colour in a scheme. */
const colourOf = (name: string, scheme: (typeof SCHEMES)[number]): string => {
  const value = all[name] ?? '';
  const [, inLight = value, inDark = value] = /^light-dark\((.+), (.+)\)$/.exec(value) ?? [];
  return scheme === 'light' ? inLight : inDark;
};

describe.each(SCHEMES)('in the %s scheme', (scheme) => {
  const body = colourOf('--mantine-color-body', scheme);
  const field = scheme === 'light' ? body : (theme.colors?.dark?.[6] ?? '');

  it.each(['green', 'amber', 'yellow', 'red', 'blue', 'gray'])('%s text can be read', (tone) => {
    const text = colourOf(`--${tone}`, scheme);
    for (const behind of [body, field, colourOf(`--${tone}-soft`, scheme)])
      expect(contrast(text, behind)).toBeGreaterThan(TEXT);
  });

  it('placeholders can be read, and the borders of inputs seen', () => {
    expect(all['--mantine-color-placeholder']).toBe('var(--gray)');
    const border = scheme === 'light' ? light['--mantine-color-gray-4'] : theme.colors?.dark?.[4];
    for (const beside of [body, field]) expect(contrast(border ?? '', beside)).toBeGreaterThan(PART);
  });

  it.each(Object.entries(COLORS))('%s can be seen in a chart', (_, colour) => {
    expect(contrast(colour, body)).toBeGreaterThan(PART);
  });
});
