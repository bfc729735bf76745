import './mantine.css';
import '@mantine/notifications/styles.css';
import '@mantine/spotlight/styles.css';
import 'uplot/dist/uPlot.min.css';
import './style.css';
import './browser-language.ts';
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { queryOptions } from './queries.ts';
import { router } from './router.tsx';
import { openSession } from './session.ts';
import { Toasts } from './shell/toasts.tsx';
import { cssVariables, theme } from './theme.ts';

/** The content security policy admits the library's style elements by this nonce. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.nonce ?? '';
// Where the library that keeps the page from scrolling behind a dialog reads it.
Object.assign(globalThis, { __webpack_nonce__: nonce });

// The screen's code loads while the console is asked who is logged in.
void router.load();

const place = document.getElementById('app');
if (place) {
  openSession().then(
    // In slices, between which the browser paints and takes input.
    () =>
      startTransition(() =>
        createRoot(place).render(
          <QueryClientProvider client={new QueryClient(queryOptions)}>
            <MantineProvider
              theme={theme}
              cssVariablesResolver={cssVariables}
              defaultColorScheme="auto"
              getStyleNonce={() => nonce}
            >
              <Toasts />
              <RouterProvider router={router} />
            </MantineProvider>
          </QueryClientProvider>,
        ),
      ),
    () => {
      const status = document.querySelector('.first-frame [role=status]');
      if (status) status.textContent = 'The console is not responding. Check your connection, then retry.';
      document.querySelector('.late')?.classList.remove('late');
    },
  );
}
