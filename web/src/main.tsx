import { render } from 'solid-js/web';
import { App } from './app/App';
import { startRouter } from './app/router';
import { startTheme } from './app/theme';
import 'uplot/dist/uPlot.min.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/table.css';
import './styles/runs.css';
import './styles/charts.css';
import './styles/timeline.css';

startTheme();
startRouter();
render(() => <App />, document.getElementById('app')!);
