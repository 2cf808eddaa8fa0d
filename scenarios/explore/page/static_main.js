/** What the static page runs. */

import "./static.js";
import "./main.js";
