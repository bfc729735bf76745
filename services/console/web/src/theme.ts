import {
  Alert,
  Badge,
  Button,
  createTheme,
  Drawer,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  Modal,
  Tooltip,
} from '@mantine/core';

/** Colours whose light variant style.css defines for both schemes, with enough contrast. */
const OWN = new Set(['green', 'amber', 'red', 'gray', 'blue', 'yellow']);
const amber: MantineColorsTuple = [
  '#fff8e6',
  '#fff3d6',
  '#fde2a8',
  '#f9cf77',
  '#f6bf4f',
  '#f3b13d',
  '#e09b1b',
  '#b97c0f',
  '#8a5a00',
  '#5f3e00',
];
const red: MantineColorsTuple = [
  '#fdeceb',
  '#fde8e6',
  '#f9c6c2',
  '#f19f99',
  '#e6746c',
  '#d1453b',
  '#b3261e',
  '#98201a',
  '#7d1a15',
  '#631511',
];
const blue: MantineColorsTuple = [
  '#eef3fe',
  '#e8eefc',
  '#c5d5f8',
  '#9db8f2',
  '#6f95ea',
  '#4a7ae3',
  '#2157d6',
  '#1c4cbb',
  '#173f9c',
  '#12327b',
];

/** The look of the console: dense, with one accent colour, and badges that can be read in both colour schemes. */
export const theme = createTheme({
  primaryColor: 'blue',
  colors: { amber, blue, red },
  defaultRadius: 'md',
  fontFamily: 'Inter, "Segoe UI", system-ui, "DejaVu Sans", sans-serif',
  fontFamilyMonospace: '"JetBrains Mono", ui-monospace, "DejaVu Sans Mono", monospace',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  headings: { fontWeight: '650' },
  respectReducedMotion: true,
  variantColorResolver: (input) => {
    const color = input.color ?? 'blue';
    if (input.variant !== 'light' || !OWN.has(color)) return defaultVariantColorsResolver(input);
    return {
      background: `var(--${color}-soft)`,
      hover: `var(--${color}-soft)`,
      color: `var(--${color})`,
      border: 'none',
    };
  },
  components: {
    Alert: Alert.extend({ defaultProps: { p: 'sm' } }),
    Badge: Badge.extend({ defaultProps: { variant: 'light', tt: 'none', fw: 600, miw: 'max-content' } }),
    Button: Button.extend({ defaultProps: { variant: 'default', size: 'xs' } }),
    Drawer: Drawer.extend({
      defaultProps: { position: 'right', size: 'lg', closeButtonProps: { 'aria-label': 'Close' } },
      styles: { title: { fontWeight: 650 } },
    }),
    Modal: Modal.extend({ defaultProps: { centered: true }, styles: { title: { fontWeight: 650 } } }),
    Tooltip: Tooltip.extend({ defaultProps: { withArrow: true, openDelay: 200 } }),
  },
});
