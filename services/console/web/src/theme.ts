import {
  type CSSVariablesResolver,
  colorsTuple,
  createTheme,
  defaultVariantColorsResolver,
} from '@mantine/core';

/** Colours of texts and soft backgrounds with enough contrast: in the light scheme, and in the dark one. */
const AMBER = { text: ['#7a4f00', '#f3c46b'], soft: ['#fff3d6', '#3a2d10'] };
const TONES: Readonly<Record<string, typeof AMBER>> = {
  green: { text: ['#0b6b3a', '#7fdcaa'], soft: ['#e3f4ea', '#12362a'] },
  amber: AMBER,
  yellow: AMBER,
  red: { text: ['#b3261e', '#ff9d96'], soft: ['#fde8e6', '#451a18'] },
  blue: { text: ['#1f52c9', '#a5c0ff'], soft: ['#e8eefc', '#1b2b52'] },
  gray: { text: ['#4f5a68', '#b4bdc8'], soft: ['#eef0f3', '#2c333c'] },
};
const bothSchemes = (colours: readonly string[]) => `light-dark(${colours.join(', ')})`;
const amber = colorsTuple(
  '#fff8e6 #fff3d6 #fde2a8 #f9cf77 #f6bf4f #f3b13d #e09b1b #b97c0f #8a5a00 #5f3e00'.split(' '),
);
const red = colorsTuple(
  '#fdeceb #fde8e6 #f9c6c2 #f19f99 #e6746c #d1453b #b3261e #98201a #7d1a15 #631511'.split(' '),
);
const blue = colorsTuple(
  '#eef3fe #e8eefc #c5d5f8 #9db8f2 #6f95ea #4a7ae3 #2157d6 #1c4cbb #173f9c #12327b'.split(' '),
);

/** Of controls in the dark scheme, in the tone of the page. */
const dark = colorsTuple(
  '#c9d1db #b4bdc8 #828c98 #69727d #737d89 #353c46 #252b34 #1a1f26 #161a20 #0f1318'.split(' '),
);

/** The look of the console: dense, with one accent colour, and badges that can be read in both colour schemes. */
export const theme = createTheme({
  primaryColor: 'blue',
  // Also in the dark scheme, where the library's darker one is hardly visible.
  primaryShade: 6,
  colors: { amber, blue, dark, red },
  defaultRadius: 'md',
  fontFamily: 'Inter, "Segoe UI", system-ui, "DejaVu Sans", sans-serif',
  fontFamilyMonospace: '"JetBrains Mono", ui-monospace, "DejaVu Sans Mono", monospace',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  headings: {
    fontWeight: '650',
    sizes: { h1: { fontSize: '20px' }, h2: { fontSize: '14px' }, h3: { fontSize: '14px' } },
  },
  respectReducedMotion: true,
  variantColorResolver: (input) => {
    const color = input.color ?? 'blue';
    if (input.variant !== 'light' || !Object.hasOwn(TONES, color)) return defaultVariantColorsResolver(input);
    return {
      background: `var(--${color}-soft)`,
      hover: `var(--${color}-soft)`,
      color: `var(--${color})`,
      border: 'none',
    };
  },
  // Not with `extend`: the components would load with the first page.
  components: {
    Badge: { defaultProps: { variant: 'light', tt: 'none', fw: 600 } },
    Button: { defaultProps: { variant: 'default', size: 'xs' } },
    Drawer: {
      defaultProps: { position: 'right', size: 'lg', closeButtonProps: { 'aria-label': 'Close' } },
      styles: { title: { fontWeight: 650, lineHeight: 1.3 } },
    },
    Modal: { defaultProps: { centered: true }, styles: { title: { fontWeight: 650, lineHeight: 1.3 } } },
    Tabs: { defaultProps: { color: 'var(--blue)' } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 200 } },
  },
});

/** The library's colours that differ. */
const LIBRARY = {
  '--mantine-color-body': bothSchemes(['#fff', '#1a1f26']),
  '--mantine-color-dimmed': 'var(--gray)',
  '--mantine-color-default-border': 'var(--line)',
  '--mantine-color-anchor': 'var(--blue)',
  '--mantine-color-error': 'var(--red)',
  '--mantine-color-placeholder': 'var(--gray)',
};
/** Borders of inputs. The dark scheme's are in its palette. */
const LIGHT = { ...LIBRARY, '--mantine-color-gray-4': '#868f9a' };

/** The console's own colours, for style sheets and components. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {
    ...Object.fromEntries(
      Object.entries(TONES).flatMap(([name, { text, soft }]) => [
        [`--${name}`, bothSchemes(text)],
        [`--${name}-soft`, bothSchemes(soft)],
      ]),
    ),
    '--line': bothSchemes(['#e3e6ea', '#353c46']),
    '--sidebar': bothSchemes(['#10151c', '#0b0f14']),
  },
  light: LIGHT,
  dark: LIBRARY,
});
