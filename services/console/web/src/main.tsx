import '@blueprintjs/core/lib/css/blueprint.css';
import 'uplot/dist/uPlot.min.css';
import './style.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { queryOptions } from './queries.ts';
import { router } from './router.tsx';
import { openSession } from './session.ts';

const dark = window.matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.body.classList.toggle('bp6-dark', dark.matches);
dark.addEventListener('change', follow);
follow();

const place = document.getElementById('app');
if (place) {
  const root = createRoot(place);
  openSession().then(
    () =>
      root.render(
        <QueryClientProvider client={new QueryClient(queryOptions)}>
          <RouterProvider router={router} />
        </QueryClientProvider>,
      ),
    () =>
      root.render(
        <p role="alert" className="lonely">
          The console does not answer. Load this page again in a minute.
        </p>,
      ),
  );
}
