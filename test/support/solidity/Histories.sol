// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";

contract Coin is ERC20 {
    uint8 private immutable digits;

    constructor(uint8 digits_) ERC20("Coin", "COIN") {
        digits = digits_;
    }

    function decimals() public view override returns (uint8) {
        return digits;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function burn(address from, uint256 amount) external {
        _burn(from, amount);
    }
}

/// @notice A vault with fees in shares, gains, losses and settled requests.
contract HistoryVault is ERC4626 {
    uint8 private immutable offset;
    mapping(address => uint256) public requested;

    event DepositRequest(
        address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 assets
    );

    constructor(Coin coin, uint8 offset_) ERC20("History", "H") ERC4626(coin) {
        offset = offset_;
    }

    function _decimalsOffset() internal view override returns (uint8) {
        return offset;
    }

    /// A tenth of a gain is minted as fee shares, which is not a deposit.
    function gain(uint256 assets, address feeTo) external {
        Coin(asset()).mint(address(this), assets);
        _mint(feeTo, convertToShares(assets / 10));
    }

    function lose(uint256 assets) external {
        Coin(asset()).burn(address(this), assets);
    }

    function requestDeposit(uint256 assets, address controller, address owner) external returns (uint256) {
        require(owner == msg.sender, "owner");
        IERC20(asset()).transferFrom(owner, address(0xdead), assets);
        requested[controller] += assets;
        emit DepositRequest(controller, owner, 0, msg.sender, assets);
        return 0;
    }

    function deposit(uint256 assets, address receiver, address controller) external returns (uint256 shares) {
        require(controller == msg.sender && requested[controller] >= assets, "claim");
        requested[controller] -= assets;
        shares = previewDeposit(assets);
        Coin(asset()).mint(address(this), assets);
        _mint(receiver, shares);
        emit Deposit(controller, receiver, assets, shares);
    }
}

/// @notice An account that makes the calls it is given.
contract User {
    address private immutable player = msg.sender;

    function act(address target, bytes calldata data) external returns (bool ok, bytes memory told) {
        require(msg.sender == player, "player");
        return target.call(data);
    }
}

/// @notice Runs actions of many users in one transaction and returns each result.
contract Players {
    struct Act {
        uint256 user;
        address target;
        /// Basis points of the user's balance of the target, written at an offset; zero leaves the data unchanged.
        uint256 parts;
        uint256 at;
        bytes data;
    }

    User[] public users;

    event Played(uint256 indexed id, bool ok, bytes told);

    constructor(uint256 count) {
        for (uint256 i = 0; i < count; ++i) users.push(new User());
    }

    function enter(Coin coin, address[] calldata vaults) external {
        for (uint256 i = 0; i < users.length; ++i) {
            coin.mint(address(users[i]), 10 ** 40);
            for (uint256 j = 0; j < vaults.length; ++j) {
                users[i].act(address(coin), abi.encodeCall(IERC20.approve, (vaults[j], type(uint256).max)));
            }
        }
    }

    function play(uint256 first, Act[] calldata acts) external {
        for (uint256 i = 0; i < acts.length; ++i) {
            User user = users[acts[i].user];
            bytes memory data = acts[i].data;
            if (acts[i].parts > 0) {
                uint256 amount = IERC20(acts[i].target).balanceOf(address(user)) * acts[i].parts / 10_000;
                uint256 at = acts[i].at;
                assembly {
                    mstore(add(add(data, 32), at), amount)
                }
            }
            (bool ok, bytes memory told) = user.act(acts[i].target, data);
            emit Played(first + i, ok, told);
        }
    }
}
