import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { FindScreen, findSearch } from './screens/find.tsx';
import { SubmissionScreen } from './screens/submission.tsx';
import { SubmissionsScreen, submissionsSearch } from './screens/submissions.tsx';
import { TodayScreen } from './screens/today.tsx';
import { Shell } from './shell.tsx';

const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => <p role="alert">There is no such screen.</p>,
});
const today = createRoute({ getParentRoute: () => root, path: '/', component: TodayScreen });
const submissions = createRoute({
  getParentRoute: () => root,
  path: '/submissions',
  validateSearch: submissionsSearch,
  component: SubmissionsScreen,
});
const submission = createRoute({
  getParentRoute: () => root,
  path: '/submissions/$submissionId',
  component: SubmissionScreen,
});
const find = createRoute({
  getParentRoute: () => root,
  path: '/find',
  validateSearch: findSearch,
  component: FindScreen,
});

/** Every screen, each under a path of its own. */
export const router = createRouter({
  routeTree: root.addChildren([today, submissions, submission, find]),
  defaultPreload: false,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
